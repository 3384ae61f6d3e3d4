/** Dates, which an administrator may set, and time that passes. */
@NullMarked
package dev.berth.server.time;

import org.jspecify.annotations.NullMarked;
