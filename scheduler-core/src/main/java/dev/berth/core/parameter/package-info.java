/**
 * The parameters of a sweep's tasks: computed from what was typed or read, and put into commands. Pure.
 */
@NullMarked
package dev.berth.core.parameter;

import org.jspecify.annotations.NullMarked;
