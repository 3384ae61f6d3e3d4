/**
 * The database: {@code JobStore} writes and belongs to the loop's thread, {@code JobQueries} reads and belongs to
 * everybody. Nothing else in this process may open the file: closing any other descriptor of it would drop SQLite's
 * POSIX locks. Above 25 classes because each table has its rows and each stored form its codec, and none is public that only the
 * others need.
 */
@NullMarked
package dev.berth.server.store;

import org.jspecify.annotations.NullMarked;
