/* A malloc for LD_PRELOAD whose memory the system's free would not take, as with jemalloc. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern void* __libc_malloc(size_t);
extern void __libc_free(void*);

struct header {
  size_t size;
  void* base;
};

static struct header* header_of(void* memory) { return (struct header*)memory - 1; }

void* memalign(size_t alignment, size_t size) {
  const size_t room = alignment + 64;
  char* const base = __libc_malloc(size + room);
  if (base == NULL) return NULL;
  char* const memory = (char*)(((uintptr_t)base + 64 + alignment - 1) / alignment * alignment);
  header_of(memory)->size = size;
  header_of(memory)->base = base;
  return memory;
}

void* malloc(size_t size) { return memalign(16, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}

void free(void* memory) {
  if (memory != NULL) __libc_free(header_of(memory)->base);
}

void* calloc(size_t count, size_t size) {
  void* const memory = malloc(count * size);
  return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void* realloc(void* memory, size_t size) {
  void* const larger = malloc(size);
  if (memory == NULL || larger == NULL) return larger;
  const size_t before = header_of(memory)->size;
  memcpy(larger, memory, before < size ? before : size);
  free(memory);
  return larger;
}

size_t malloc_usable_size(void* memory) { return memory == NULL ? 0 : header_of(memory)->size; }
