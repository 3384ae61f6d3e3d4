/** Tests. */
@NullMarked
package dev.berth.cli.fetch;

import org.jspecify.annotations.NullMarked;
