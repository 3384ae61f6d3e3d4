/**
 * Tables and sentences for people: a class for each thing that is shown, and what they are made of. Strings in,
 * strings out; who prints them is in {@code output}.
 */
@NullMarked
package dev.berth.cli.output.text;

import org.jspecify.annotations.NullMarked;
