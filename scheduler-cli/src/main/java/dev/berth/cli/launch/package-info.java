/** Starting a server: its command line, its process until it accepts, and seeing it go. */
@NullMarked
package dev.berth.cli.launch;

import org.jspecify.annotations.NullMarked;
