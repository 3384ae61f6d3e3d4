/**
 * The output that programs wrote, kept on disk beyond the life of their containers: appended by the container room,
 * read piece by piece by the HTTP room, never whole in memory. Above 25 classes because segments, frames and
 * what the engine's copy is held against know each other; nothing outside sees more than the store, a log and its reader.
 */
@NullMarked
package dev.berth.server.log;

import org.jspecify.annotations.NullMarked;
