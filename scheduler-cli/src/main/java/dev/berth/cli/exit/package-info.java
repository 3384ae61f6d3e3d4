/** The ends of commands: the exit codes, and the one exception that carries a sentence to the user. */
@NullMarked
package dev.berth.cli.exit;

import org.jspecify.annotations.NullMarked;
