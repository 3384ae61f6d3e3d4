package dev.berth.server.target;

import java.util.regex.Pattern;

/**
 * The form of a text.
 *
 * @param words the form for people: what follows "must be"
 */
record Rule(Pattern pattern, String words) {
    /** Begins with no hyphen: it becomes a word of a command line. */
    static final Rule HOST = of(
            "[A-Za-z0-9][A-Za-z0-9._-]{0,252}",
            "a host's name, or ssh's alias of one, without a user and a port; those belong into ssh's own"
                    + " configuration");

    static final Rule SLURM_NAME = of("[A-Za-z0-9_][A-Za-z0-9_.,+-]{0,127}", "a name of letters, digits and _ . , + -");
    static final Rule SLURM_OPTION =
            of("--[a-z][\\x20-\\x7e]{0,511}", "a long option of sbatch, such as --constraint=a100");
    static final Rule DIRECTORY = of(
            "(/|~/|~$)[\\x20-\\x7e]{0,1023}", "an absolute path, or one in the submitter's home such as ~/.berth/jobs");
    static final Rule ABSOLUTE = of("/[\\x20-\\x7e]{0,1023}", "an absolute path");
    static final Rule VARIABLE = of("[A-Za-z_][A-Za-z0-9_]{0,127}", "a variable's name");
    static final Rule LINE = of("[^\\p{Cntrl}]{0,1024}", "one line of at most 1024 characters");
    static final Rule CONTEXT = of("[\\x21-\\x7e]{1,253}", "a context's name, without blanks");
    static final Rule NAMESPACE =
            of("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", "1 to 63 lower-case letters, digits and hyphens");
    static final Rule KUBERNETES_NAME =
            of("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", "1 to 253 lower-case letters, digits, dots and hyphens");
    static final Rule LABEL = of("[A-Za-z0-9][A-Za-z0-9._/-]{0,316}", "a label's name, such as nvidia.com/gpu.product");
    static final Rule LABEL_VALUE =
            of("([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?", "at most 63 letters, digits and . _ - in between");
    static final Rule RESOURCE = of(
            "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?",
            "the name of a resource with its domain, such as nvidia.com/gpu");
    static final Rule GPU_WORD = of(
            "[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}",
            "what --gpu-type may ask for: 1 to 64 letters, digits, blanks and . _ -");
    static final Rule URL = of("https?://[\\x21-\\x7e]{1,500}", "an address that begins with https:// or http://");
    static final Rule IMAGE = of("[A-Za-z0-9][\\x21-\\x7e]{0,254}", "the name of an image");
    static final Rule OPERATOR = of("Equal|Exists", "Equal or Exists");
    static final Rule SECONDS = of("\\d{1,9}", "a number of seconds");
    static final Rule EFFECT = of("NoSchedule|PreferNoSchedule|NoExecute", "NoSchedule, PreferNoSchedule or NoExecute");

    private static Rule of(String pattern, String words) {
        return new Rule(Pattern.compile(pattern), words);
    }

    boolean holds(String text) {
        return pattern.matcher(text).matches();
    }
}
