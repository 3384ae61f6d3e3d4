/** Puts the server together from its rooms, starts it, ends it. */
@NullMarked
package dev.berth.server;

import org.jspecify.annotations.NullMarked;
