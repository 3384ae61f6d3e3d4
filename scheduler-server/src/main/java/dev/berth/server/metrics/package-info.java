/** The server's metrics in Prometheus' form: which there are, and where each comes from. Nothing is measured here, and nothing answered. */
@NullMarked
package dev.berth.server.metrics;

import org.jspecify.annotations.NullMarked;
