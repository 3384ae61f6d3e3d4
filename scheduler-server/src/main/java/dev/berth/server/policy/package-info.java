/**
 * What the administrator decides about everybody's jobs: records of values, and their built-in choices. What reads them
 * from a file, and what acts by them, is elsewhere.
 */
@NullMarked
package dev.berth.server.policy;

import org.jspecify.annotations.NullMarked;
