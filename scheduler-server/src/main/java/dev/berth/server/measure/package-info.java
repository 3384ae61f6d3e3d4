/** What the server counts of itself where it arises, without a library: durations and requests. How they are shown is not known here. */
@NullMarked
package dev.berth.server.measure;

import org.jspecify.annotations.NullMarked;
