/** Tests. */
@NullMarked
package dev.berth.cli.client;

import org.jspecify.annotations.NullMarked;
