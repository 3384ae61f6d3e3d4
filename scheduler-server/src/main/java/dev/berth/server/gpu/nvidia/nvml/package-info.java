/**
 * NVIDIA's management library, NVML, by Java's foreign functions: its calls and structures as nvml.h has them, and its
 * errors as exceptions. What the answers mean for Berth is the affair of the package above.
 */
@NullMarked
package dev.berth.server.gpu.nvidia.nvml;

import org.jspecify.annotations.NullMarked;
