package dev.berth.server.gpu.nvidia;

import dev.berth.server.gpu.GpuFault;
import java.util.Map;

/**
 * XID error of the driver, and what it means for its GPU by NVIDIA's catalogue for Ampere and newer GPUs
 * (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html): fatal is what NVIDIA answers with a reset of the GPU, a
 * restart of the machine or a look at the hardware. docs/gpus.md has the whole table with its reasons.
 *
 * @param number the driver's
 * @param isFatal whether nothing further should be started on the GPU
 * @param words what happened, and for a fatal one what is to be done
 */
public record Xid(int number, boolean isFatal, String words) {
    private static final String RESET = "reset it with the server stopped (nvidia-smi --gpu-reset), or reboot";
    private static final String REBOOT = "reboot the machine";
    private static final String HARDWARE = "look at its power cables and its slot";

    private static final Map<Integer, Xid> KNOWN = Map.ofEntries(
            fatal(46, "the GPU stopped processing", RESET),
            fatal(48, "an ECC error of two bits, which cannot be corrected", RESET),
            fatal(54, "the GPU's auxiliary power is not connected", HARDWARE),
            fatal(62, "the GPU's micro-controller halted", RESET),
            fatal(64, "broken memory could not be taken out of use", RESET),
            fatal(74, "an NVLink failed", RESET),
            fatal(79, "the GPU has fallen off the bus", REBOOT),
            fatal(95, "a memory error that could not be contained in one program", RESET),
            fatal(109, "the GPU did not switch between programs in time", RESET),
            fatal(110, "a security fault of the GPU", REBOOT),
            fatal(119, "the GPU's system processor (GSP) did not answer", RESET),
            fatal(120, "the GPU's system processor (GSP) failed", RESET),
            fatal(136, "an NVLink could not be set up", RESET),
            fatal(140, "an ECC error that could not be recovered from", RESET),
            fatal(143, "the GPU could not be initialised", RESET),
            fatal(151, "the keys of confidential computing could not be renewed", REBOOT),
            fatal(156, "broken parts of the GPU wait to be taken out of use", RESET),
            fatal(158, "the GPU did not answer in time", RESET),
            fatal(167, "the GPU did not answer over PCI Express", REBOOT),
            fatal(169, "the GPU's security processor halted", RESET),
            fatal(171, "an ECC error of its memory that cannot be corrected", RESET),
            fatal(172, "an ECC error of its caches that cannot be corrected", RESET),
            harmless(13, "an exception of the graphics engine, most often a program's illegal access"),
            harmless(31, "a page fault of the GPU's memory, most often a program's illegal access"),
            harmless(32, "a corrupted stream of commands"),
            harmless(43, "a program's own fault, which ended it"),
            harmless(44, "a fault while programs were switched"),
            harmless(45, "a program was cleaned up, as after every end by a signal"),
            harmless(63, "broken memory was taken out of use; it is replaced at the next reset"),
            harmless(68, "an exception of the video decoder"),
            harmless(69, "an exception of the graphics engine's class"),
            harmless(92, "many ECC errors, all corrected"),
            harmless(94, "a memory error, contained in the program that met it"),
            harmless(137, "an illegal access over NVLink, most often a program's"),
            harmless(154, "what else was reported changed what the GPU needs"));

    private static Map.Entry<Integer, Xid> fatal(int number, String what, String then) {
        return Map.entry(number, new Xid(number, true, what + "; " + then + ", then berth gpus resume"));
    }

    private static Map.Entry<Integer, Xid> harmless(int number, String what) {
        return Map.entry(number, new Xid(number, false, what));
    }

    /** An error that is not known is harmless: most are a program's fault, and a GPU that is ill has others, too. */
    public static Xid of(int number) {
        return KNOWN.getOrDefault(
                number, new Xid(number, false, "see docs.nvidia.com/deploy/xid-errors for what it means"));
    }

    public GpuFault fault() {
        return new GpuFault(sentence(), isFatal);
    }

    /** For people. */
    public String sentence() {
        return "XID " + number + ": " + words;
    }
}
