/**
 * Profiles: sets of a job's options that an operator names in a file, in the form of QHub's and Nebari's
 * {@code profiles.jupyterlab} (nebari.dev, "Profile configuration"). The file is read anew when it has changed. What a job
 * becomes by a profile is decided where it is submitted.
 */
@NullMarked
package dev.berth.server.profile;

import org.jspecify.annotations.NullMarked;
