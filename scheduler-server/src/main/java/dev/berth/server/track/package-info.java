/**
 * What programs tell of themselves while they run: metrics, parameters, tags, artifacts, progress. Here stand the values
 * alone; who reads and keeps them stands in packages below this one.
 */
@NullMarked
package dev.berth.server.track;

import org.jspecify.annotations.NullMarked;
