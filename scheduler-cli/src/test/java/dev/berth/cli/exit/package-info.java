/** Tests. */
@NullMarked
package dev.berth.cli.exit;

import org.jspecify.annotations.NullMarked;
