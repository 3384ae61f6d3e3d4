/**
 * Experiment tracking: what programs tell of their jobs, such as parameters and metrics, read from where they write it while
 * they run. How lines and files of others are understood is in {@code source}, what becomes of it in {@code server.store.track}.
 * Nothing here is on the way of a job: where it fails, jobs start and end as ever.
 */
@NullMarked
package dev.berth.server.track;

import org.jspecify.annotations.NullMarked;
