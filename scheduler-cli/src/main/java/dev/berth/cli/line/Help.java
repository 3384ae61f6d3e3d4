package dev.berth.cli.line;

/** The page that names every command. */
public final class Help {
    public static final String PAGE = """
            Berth runs GPU jobs on this machine, one queue, first in, first out.

        Usage: berth COMMAND [OPTIONS]

        The server:
          server start    Start the server (-g allocates the machine's GPUs)
          server stop     Stop the server; running jobs go on
          server status   Show the server: version, process, socket, GPUs, workers
          server pause    Start no more jobs for now; those that run go on
          server resume   Start jobs again
          server backup   Copy the database, while the server runs
          server restore  Bring a backup back, while it is stopped
          server check    Say whether the database is whole

        Its configuration:
          config show     Show every setting and where its value came from
          config check    Say what is wrong with a configuration

        Jobs:
          submit          Queue a command that runs in a copy of a directory
          sweep expand    Print the runs of a sweep file, and submit nothing
          sweep submit    Queue a command once for each run of a sweep file
          run             Run a program here, on GPUs it waits for
          lease           Wait for GPUs for the shell that asks
          cancel          Cancel jobs
          hold            Keep waiting jobs from starting
          release         Let held jobs start again
          resubmit        Submit finished jobs again
          get             Fetch what a job wrote to its output directory
          delete          Delete jobs that are over, with all that is kept of them

        What happens:
          ps              List the jobs that run and wait
          top             Watch the GPUs and the jobs
          status          Show all about one job, or everything at a glance
          explain         Say why a job waits, or how it ended
          logs            Print what a job wrote; -f follows it
          events          List what happened to jobs; -f follows it
          history         List the jobs that are over
          metrics         List the metrics of a job, or draw one
          params          List the parameters of a job
          artifacts       List the files that a job named
          best            List the jobs with the best values of a metric
          compare         Show in what jobs differ
          export          Write what jobs told as CSV or JSON
          tag             Show or set the tags of a job
          projects        List your projects
          projects rename Give a project another name
          projects delete Delete a project whose jobs are over
          projects notes  Print or write the notes of a project
          wait            Wait until jobs are over, and end as they did
          gpus            List the GPUs, who holds them, and what they do
          gpus drain      Allocate nothing more on a GPU
          gpus resume     Allocate a drained GPU again
          profiles        List the profiles of jobs
          targets         List where jobs can go
          doctor          Say what keeps a job from its GPU on this machine
          open            Open the page in a browser, logged in
          completion      Print a script by which a shell completes berth's words

        Notices elsewhere (submit --notify tells of one job):
          notify add      Have others told of all your jobs
          notify list     List who is told of your jobs
          notify test     Send a receiver something now
          notify remove   Tell receivers of nothing more

        From other machines (BERTH_URL and BERTH_TOKEN, or --url):
          token create    Make a token, which lets commands in over TCP as you
          token list      List your tokens
          token revoke    Take tokens back

        A job is named by its id, by its name, or as last, your newest one;
        17-20 are four jobs.
        Every command: --help, --json, -q (ids only), --verbose, --color WHEN,
                       --socket PATH, --data-dir DIR, --url URL
        Also:          berth --version, berth help COMMAND

        Which server: --url; --socket; --data-dir; BERTH_URL; BERTH_SOCKET;
        BERTH_DATA_DIR; your own; the machine's. The first that is there counts.

        To begin:
          berth server start -g
          berth submit scheduler . main.py --num-gpus 2

        Exit codes: 0 done, 1 refused, 2 wrong use, 125 Berth or its server failed.
        Commands that follow a job (wait, submit --follow or --wait) end with the
        job's own code; 124 over its time limit, 130 cancelled, 137 out of memory.
        """;

    private Help() {}
}
