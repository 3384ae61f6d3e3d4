/**
 * Kubernetes as a target, by fabric8's client: a {@code batch/v1} Job for each attempt. What is the same for every target is in
 * {@code runner.target}.
 */
@NullMarked
package dev.berth.server.runner.kubernetes;

import org.jspecify.annotations.NullMarked;
