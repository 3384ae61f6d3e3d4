/**
 * Sweep files read: from the disk within bounds, and from YAML into the values of {@code core.sweep}. The only package that
 * knows the YAML library, which is loaded for the commands about sweeps alone.
 */
@NullMarked
package dev.berth.cli.sweep;

import org.jspecify.annotations.NullMarked;
