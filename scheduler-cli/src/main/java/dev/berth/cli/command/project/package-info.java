/** The commands about projects as a whole: list, rename, delete, notes. */
@NullMarked
package dev.berth.cli.command.project;

import org.jspecify.annotations.NullMarked;
