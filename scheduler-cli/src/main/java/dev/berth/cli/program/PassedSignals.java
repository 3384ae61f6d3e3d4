package dev.berth.cli.program;

import dev.berth.cli.exit.Failure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Signals of this command that are its program's. What the terminal sends goes to the whole group, the program in it
 * included, and is not passed on a second time. SIGQUIT is the Java runtime's own, and reaches the program from the
 * terminal alone. The class that tells of signals, {@code sun.misc.Signal}, is in the JDK and in no API: hence by name.
 */
public final class PassedSignals {
    private static final List<String> NAMES = List.of("INT", "TERM", "HUP", "USR1", "USR2", "WINCH");
    private static final List<String> OF_TERMINALS = List.of("INT", "WINCH");

    private PassedSignals() {}

    /** From now on those signals do nothing to this command and are passed on. */
    public static void to(GatedProgram program) {
        program.hushQuit();
        NAMES.forEach(name -> pass(name, program));
    }

    private static void pass(String name, GatedProgram program) {
        handle(name, number -> {
            if (!OF_TERMINALS.contains(name) || !isOfTerminal(program.pid())) {
                program.signal(number);
            }
        });
    }

    /** Whether the program is in the foreground of the terminal together with this command. */
    private static boolean isOfTerminal(long pid) {
        try {
            ProcessRecord own = ProcessRecord.own();
            return own.group() == own.foreground() && ProcessRecord.of(pid).group() == own.group();
        } catch (Failure gone) {
            return true;
        }
    }

    private static void handle(String name, IntConsumer handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> listener = Class.forName("sun.misc.SignalHandler");
            Object taken = Proxy.newProxyInstance(
                    PassedSignals.class.getClassLoader(), new Class<?>[] {listener}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            Object came = arguments[0];
                            handler.accept((int) signal.getMethod("getNumber").invoke(came));
                            return null;
                        }
                        return switch (method.getName()) {
                            case "equals" -> System.identityHashCode(proxy) == System.identityHashCode(arguments[0]);
                            case "hashCode" -> System.identityHashCode(proxy);
                            default -> "passes " + name;
                        };
                    });
            Object which = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, listener).invoke(null, which, taken);
        } catch (InvocationTargetException taken) {
            // A runtime that keeps a signal for itself goes on doing so.
            return;
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException("this Java runtime tells of no signals", impossible);
        }
    }
}
