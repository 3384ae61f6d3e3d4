/**
 * The GPUs and cores that a job gets of those that are free: how the machine is built, and the choice by that. Values
 * and pure functions; who holds what is {@code machine}'s affair.
 */
@NullMarked
package dev.berth.core.place;

import org.jspecify.annotations.NullMarked;
