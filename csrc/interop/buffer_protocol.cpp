#include "interop/buffer_protocol.hpp"

#include <cstring>

#include "interop/numpy_api.hpp"

namespace fastcollate::interop {
namespace {

/// The number whose format code has this kind ('i', 'u', 'f', 'c', '?') and this many bytes; -1 for none.
int type_of_kind(char kind, Py_ssize_t itemsize) noexcept {
    struct Entry {
        char kind;
        Py_ssize_t itemsize;
        int type;
    };
    static constexpr Entry kEntries[] = {
        {'?', 1, NPY_BOOL},   {'i', 1, NPY_INT8},     {'i', 2, NPY_INT16},   {'i', 4, NPY_INT32},
        {'i', 8, NPY_INT64},  {'u', 1, NPY_UINT8},    {'u', 2, NPY_UINT16},  {'u', 4, NPY_UINT32},
        {'u', 8, NPY_UINT64}, {'f', 2, NPY_FLOAT16},  {'f', 4, NPY_FLOAT32}, {'f', 8, NPY_FLOAT64},
        {'c', 8, NPY_CFLOAT}, {'c', 16, NPY_CDOUBLE},
    };
    for (const Entry& entry : kEntries) {
        if (entry.kind == kind && entry.itemsize == itemsize) {
            return canonical_type(entry.type);
        }
    }
    return -1;
}

}  // namespace

int type_of_format(const char* format, Py_ssize_t itemsize) noexcept {
    if (format == nullptr) {
        return itemsize == 1 ? static_cast<int>(NPY_UINT8) : -1;  // PEP 3118: no format means unsigned bytes
    }
    // '@' native, '=' native order: JAX sends it; '<' is native order on the machines that read this branch.
    if (*format == '@' || *format == '=') {
        ++format;
    }
#if NPY_BYTE_ORDER == NPY_LITTLE_ENDIAN
    else if (*format == '<') {
        ++format;
    }
#endif
    const bool complex = *format == 'Z';
    if (complex) {
        ++format;
    }
    if (format[0] == '\0' || format[1] != '\0') {
        return -1;  // several items, a repeat count, a structure
    }
    if (complex) {
        const Py_ssize_t expected = *format == 'f' ? 8 : *format == 'd' ? 16 : 0;
        return itemsize == expected ? type_of_kind('c', itemsize) : -1;
    }
    // The letter must agree with the item size: ctypes says 'B' of unions and packed structures. Only of these four
    // does the size depend on the platform and the prefix.
    if (std::strchr("ilqn", *format) != nullptr) {
        return itemsize >= 4 ? type_of_kind('i', itemsize) : -1;
    }
    if (std::strchr("ILQN", *format) != nullptr) {
        return itemsize >= 4 ? type_of_kind('u', itemsize) : -1;
    }
    struct Letter {
        char letter;
        char kind;
        Py_ssize_t itemsize;
    };
    static constexpr Letter kLetters[] = {{'b', 'i', 1}, {'h', 'i', 2}, {'B', 'u', 1}, {'H', 'u', 2},
                                          {'e', 'f', 2}, {'f', 'f', 4}, {'d', 'f', 8}, {'?', '?', 1}};
    for (const Letter& entry : kLetters) {
        if (entry.letter == *format && entry.itemsize == itemsize) {
            return type_of_kind(entry.kind, itemsize);
        }
    }
    return -1;
}

BufferLoan::BufferLoan(BufferLoan&& other) noexcept : buffer_(other.buffer_) { other.buffer_ = Py_buffer{}; }

BufferLoan::~BufferLoan() {
    if (buffer_.obj != nullptr) {
        PyBuffer_Release(&buffer_);
    }
}

bool BufferLoan::borrow(PyObject* producer, Borrowed& view) noexcept {
    if (PyObject_GetBuffer(producer, &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
        // bfloat16 tensors, variants and strided memoryviews refuse; NumPy has its own ways to read them.
        PyErr_Clear();
        buffer_.obj = nullptr;
        return false;
    }
    const int type = type_of_format(buffer_.format, buffer_.itemsize);
    if (type < 0) {
        return false;
    }
    view.data = static_cast<const std::byte*>(buffer_.buf);
    view.type = type;
    view.itemsize = static_cast<std::size_t>(buffer_.itemsize);
    view.ndim = static_cast<std::size_t>(buffer_.ndim);
    view.shape = buffer_.shape;
    view.strides = buffer_.strides;
    return true;
}

}  // namespace fastcollate::interop
