/**
 * The database of what programs tell of their jobs: its only writer, {@code TrackStore}, its readers, {@code TrackQueries}, and how
 * points are kept. What lines and files mean, and when they are read, is in {@code server.track}.
 */
@NullMarked
package dev.berth.server.store.track;

import org.jspecify.annotations.NullMarked;
