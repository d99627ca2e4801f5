// What the engine may refuse. The engine knows no Python and no sentence of a user's message: it says what kind of
// thing is wrong, and the face, which knows the argument's name, says it in words.
#pragma once

namespace fastcollate::engine {

/// Why a plan can't be made. `kServed` is not an error.
enum class Verdict {
    kServed,
    kIndexOutOfRange,
};

}  // namespace fastcollate::engine
