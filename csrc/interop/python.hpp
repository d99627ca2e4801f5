// CPython's header, the same way in every file of this room.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
