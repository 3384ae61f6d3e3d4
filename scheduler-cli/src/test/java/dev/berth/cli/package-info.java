/** Tests of the command as a whole, and what they share. */
@NullMarked
package dev.berth.cli;

import org.jspecify.annotations.NullMarked;
