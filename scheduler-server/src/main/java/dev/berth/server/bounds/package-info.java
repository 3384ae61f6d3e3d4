/**
 * Bounds on what users' requests may take of the server itself while they are answered. What jobs may take is no
 * business of this.
 */
@NullMarked
package dev.berth.server.bounds;

import org.jspecify.annotations.NullMarked;
