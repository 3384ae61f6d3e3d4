/**
 * Looks at a machine the way a job with a GPU meets it, and says of each thing whether it is as it must be and which
 * command mends it. Nothing of the machine is changed, but for test containers that are removed again.
 */
@NullMarked
package dev.berth.server.doctor;

import org.jspecify.annotations.NullMarked;
