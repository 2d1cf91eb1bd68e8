"""What `make test` runs; `tests/whole.py` is its command line.

    registry      the checks there are
    code, units, compared, doors, clients, python_package, apps
                  the checks, by family
    job           one run of one check: its commands, log and temporary folder
    servers       how checks start servers
    environments  what clients and applications are installed into
    runner        runs checks side by side
    report        what the terminal shows
"""
