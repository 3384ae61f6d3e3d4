/**
 * The values a job is made of: what was asked for, who asked, in which state it is and how it ended. Nothing here
 * decides anything, and nothing here knows of a database, a clock or a container engine.
 */
@NullMarked
package dev.berth.core.job;

import org.jspecify.annotations.NullMarked;
