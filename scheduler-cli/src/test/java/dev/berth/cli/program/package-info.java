/** Tests of programs behind a gate, on real processes. */
@NullMarked
package dev.berth.cli.program;

import org.jspecify.annotations.NullMarked;
