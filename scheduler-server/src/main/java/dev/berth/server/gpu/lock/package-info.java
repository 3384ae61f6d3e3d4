/**
 * The lock by which safe-gpu's users keep out of each other's way (github.com/BUTSpeechFIT/safe_gpu). Nothing outside
 * of this package may touch its files: POSIX drops a process's locks of a file as soon as the process closes any of its
 * descriptors of that file.
 */
@NullMarked
package dev.berth.server.gpu.lock;

import org.jspecify.annotations.NullMarked;
