/**
 * The output that programs wrote, kept on disk beyond the life of their containers: appended by the container room,
 * read piece by piece by the HTTP room, never whole in memory.
 */
@NullMarked
package dev.berth.server.log;

import org.jspecify.annotations.NullMarked;
