/** The server's own image. */
@NullMarked
package dev.berth.system.image;

import org.jspecify.annotations.NullMarked;
