// How many threads a call may use when it doesn't say so itself: set_num_threads, then FASTCOLLATE_NUM_THREADS, then
// what the machine grants, or 1 in a worker process. Knows nothing of the pool that runs them, nor of limits that hold
// for a block of code: those are the face's, which then names the number with each call.
#pragma once

namespace fastcollate::engine {

/// The number that `text` writes, blanks around it allowed; 0 when it is not a decimal integer of at least 1.
int parse_thread_count(const char* text) noexcept;

/// False when FASTCOLLATE_NUM_THREADS is set to anything but a decimal integer of at least 1. The face then says so;
/// the engine goes on as if it weren't set. Like the variable's value, this is read once a process. Empty is unset.
bool environment_threads_valid() noexcept;

/// The process default, at least 1.
int get_num_threads() noexcept;

/// Sets the process default; 0 goes back to what environment and machine say. Returns what was set before, 0 if
/// nothing, so that it can be put back. Not inherited by forked children, as little as by spawned ones.
int set_num_threads(int threads) noexcept;

/// From here on this process is one of many that share the machine: unless asked otherwise its default is 1. Forked
/// children are such without being told; of a spawned one only the face can know.
void mark_as_worker() noexcept;

}  // namespace fastcollate::engine
