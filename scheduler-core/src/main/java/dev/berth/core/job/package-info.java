/**
 * The values a job is made of: what was asked for, who asked, in which state it is and how it ended. Nothing here
 * decides anything, and nothing here knows of a database, a clock or a container engine. Above 25 classes because a
 * specification is made of many small values.
 */
@NullMarked
package dev.berth.core.job;

import org.jspecify.annotations.NullMarked;
