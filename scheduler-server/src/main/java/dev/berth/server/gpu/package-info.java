/** What GPUs there are, and which of them this server may give out. */
@NullMarked
package dev.berth.server.gpu;

import org.jspecify.annotations.NullMarked;
