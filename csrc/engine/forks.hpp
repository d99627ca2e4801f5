// What a room must know of fork(): in the child only the forking thread lives on, and a lock that another thread held
// stays locked for ever. Rooms either take their locks across the fork (`at_fork`) or see by the generation that their
// state belongs to the parent, and start anew. Knows no room; without fork() in the system it does nothing.
#pragma once

namespace fastcollate::engine {

/// How many forks lie between this process and the one that loaded the library. As cheap as reading a variable.
unsigned fork_generation() noexcept;

/// Calls `prepare` and `parent` in the parent and `child` in the child, around every later fork(). Only while the
/// library is loading: a registration in the midst of a fork in another thread could be lost.
void at_fork(void (*prepare)(), void (*parent)(), void (*child)()) noexcept;

}  // namespace fastcollate::engine
