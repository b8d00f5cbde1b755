// A macro: no source file.
#pragma once

/// Marks what libspuna_acero.so shows to the outside; all else in it is hidden.
#define SPUNA_ACERO_EXPORT __attribute__((visibility("default")))
