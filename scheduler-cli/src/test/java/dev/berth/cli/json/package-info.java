/** Tests. */
@NullMarked
package dev.berth.cli.json;

import org.jspecify.annotations.NullMarked;
