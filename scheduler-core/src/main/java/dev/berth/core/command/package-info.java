/**
 * The commands of jobs, looked at before they are queued: what cannot run in the directory that it was submitted with. Only
 * what is certain is refused; what an image holds is not known here.
 */
@NullMarked
package dev.berth.core.command;

import org.jspecify.annotations.NullMarked;
