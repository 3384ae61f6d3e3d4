/**
 * What the tests of the server and those of the built distribution have in common: an HTTP client, a receiver of notices, a
 * Slurm cluster, a Kubernetes API server.
 */
@NullMarked
package dev.berth.testclient;

import org.jspecify.annotations.NullMarked;
