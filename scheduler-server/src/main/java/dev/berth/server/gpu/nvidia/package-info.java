/**
 * NVIDIA's GPUs: read by the management library ({@code nvml}) or by {@code nvidia-smi}, their errors (XID), what images
 * ask of the driver, and how the container toolkit hands GPUs to containers. All that is said of other vendors' GPUs too
 * belongs to the package above, which does not know this one.
 */
@NullMarked
package dev.berth.server.gpu.nvidia;

import org.jspecify.annotations.NullMarked;
