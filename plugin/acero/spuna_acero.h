/* The calls of libspuna_acero.so that need no C++: for whoever loads the plugin into a process that
 * has Arrow C++ in it, such as Python with pyarrow. Errors are told as in spuna.h. */
#ifndef SPUNA_ACERO_H
#define SPUNA_ACERO_H

#include "plugin/c/spuna.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds spuna's nodes and compute functions to Arrow's registries. Loading the library has done so
 * already; this returns the error, if there was one. */
SPUNA_EXPORT spuna_code spuna_acero_register(spuna_error* error);

/* Gives a model, as the bytes of a model file, a name that the compute functions spuna_score and
 * spuna_keep know it by. A name that is taken gets the new model. */
SPUNA_EXPORT spuna_code spuna_acero_register_model(const char* name, const void* model, size_t size,
                                                   spuna_error* error);

/* Forgets a name; an unknown one is an error. */
SPUNA_EXPORT spuna_code spuna_acero_unregister_model(const char* name, spuna_error* error);

#ifdef __cplusplus
}
#endif

#endif /* SPUNA_ACERO_H */
