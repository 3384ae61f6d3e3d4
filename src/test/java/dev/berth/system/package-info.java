/**
 * The product as a user has it: the built distribution, real processes, real Docker Engines. What is claimed about
 * jobs is read from what the jobs themselves wrote down, not from Berth's tables.
 */
@NullMarked
package dev.berth.system;

import org.jspecify.annotations.NullMarked;
