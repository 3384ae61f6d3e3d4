/**
 * GPUs of the machine, whichever vendor makes them: which there are and which this server may allocate, how they are read,
 * whether they are well; simulated ones too. What only NVIDIA's have belongs to {@code gpu.nvidia}.
 */
@NullMarked
package dev.berth.server.gpu;

import org.jspecify.annotations.NullMarked;
