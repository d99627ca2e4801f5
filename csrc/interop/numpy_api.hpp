// NumPy's C API for this room and for nobody else: one import for all files of the module.
#pragma once

#include "interop/python.hpp"

#define PY_ARRAY_UNIQUE_SYMBOL fastcollate_array_api
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#ifndef FASTCOLLATE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
