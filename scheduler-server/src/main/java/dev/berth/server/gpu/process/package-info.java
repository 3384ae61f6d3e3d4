/**
 * The machine's processes, as far as it matters who is on a GPU: read from {@code /proc}, whose texts their owners
 * choose. Nothing here acts on a process.
 */
@NullMarked
package dev.berth.server.gpu.process;

import org.jspecify.annotations.NullMarked;
