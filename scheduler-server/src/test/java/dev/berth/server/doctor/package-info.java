/** The examination of a machine, on machines made of files and scripts. */
@NullMarked
package dev.berth.server.doctor;

import org.jspecify.annotations.NullMarked;
