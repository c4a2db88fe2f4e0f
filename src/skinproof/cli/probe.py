"""`skinproof probe`: does this installation hold the fixed numbers of the two contracts?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import rich_click as click

from skinproof.cli._command import Command
from skinproof.cli._exits import Exit
from skinproof.cli._screen import console

if TYPE_CHECKING:
    from rich.table import Table

    from skinproof.probe import ContractNumber, ContractScan
    from skinproof.publish.contract import PoseStep


@click.command(cls=Command)
def probe() -> int:
    """Compute the fixed numbers of the weight contract and of the pose contract, and scan random vertices.

    Every number is computed by the operations and the compiled core that characters go through. Exits with 1 if one
    is off. Says which kernels are used; the environment variable SKINPROOF_ISA names others.
    """
    from skinproof._native import INSTRUCTION_SET, INSTRUCTION_SETS
    from skinproof.probe import contract
    from skinproof.publish import contract as pose_contract
    from skinproof.tolerances import CONTRACT_NUMBER, CONTRACT_SCAN

    numbers, scan = contract.fixed_numbers(), contract.scan()
    wrong = sum(not number.holds for number in numbers)
    steps = pose_contract.fixed_numbers()
    poses_hold = all(step.holds for step in steps)
    passed = wrong == 0 and scan.holds and poses_hold
    screen = console(sys.stdout)
    screen.print(f"Kernels: {INSTRUCTION_SET} (this processor runs {', '.join(INSTRUCTION_SETS)})\n", soft_wrap=True)
    screen.print("The weight contract, computed by this installation", style="bold")
    screen.print("One axis: a vertex at 2; four joints moved by 10, 20, 30, 40;")
    screen.print("weights 0.4, 0.3, 0.2, 0.1; K = 2.\n")
    screen.print(_number_table(numbers))
    screen.print(f"\n{scan.vertices:,} random vertices with 8 influences, cut to 4; held to {CONTRACT_SCAN:g}.\n")
    screen.print(_scan_table(scan, CONTRACT_SCAN))
    screen.print("\nThe pose contract: four joints, what a draw sees after each step.\n")
    screen.print(_step_table(steps))
    if passed:
        numbers_hold = f"all {len(numbers)} numbers hold within {CONTRACT_NUMBER:g}"
        screen.print(f"\n[bold green]PASS[/]  {numbers_hold}, so does the scan, and all {len(steps)} poses")
        return Exit.PASS
    scan_holds = "holds" if scan.holds else "does not hold"
    poses = "hold" if poses_hold else "do not hold"
    screen.print(
        f"\n[bold red]FAIL[/]  {wrong} of {len(numbers)} numbers are off; the scan {scan_holds}; the poses {poses}"
    )
    return Exit.GATE_FAILED


def _table(*headers: str, numbers: int) -> Table:
    """A table whose last `numbers` columns hold numbers."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for index, header in enumerate(headers):
        is_number = index >= len(headers) - numbers
        table.add_column(header, justify="right" if is_number else "left", no_wrap=is_number)
    return table


def _number_table(numbers: tuple[ContractNumber, ...]) -> Table:
    table = _table("", "what", "must be", "computed", numbers=2)
    for number in numbers:
        table.add_row(_mark(number.holds), number.what, f"{number.expected:.10g}", f"{number.computed:.10g}")
    return table


def _scan_table(scan: ContractScan, limit: float) -> Table:
    table = _table("", "what", "largest", numbers=1)
    for what, value in (
        ("sum of the weights less one", scan.max_sum_error),
        ("a common move of 100, less what the vertex moved by", scan.max_translation_error),
        ("error less the bound r·D (negative: within it)", scan.max_bound_excess),
    ):
        table.add_row(_mark(value <= limit), what, f"{value:.3g}")
    table.add_row("", "error seen (an observation, no limit)", f"{scan.max_error:.3g}")
    return table


def _step_table(steps: tuple[PoseStep, ...]) -> Table:
    table = _table("", "what", "must be", "seen", numbers=2)
    for step in steps:
        table.add_row(_mark(step.holds), step.what, _seen(step.expected), _seen(step.computed))
    return table


def _seen(step: tuple[str, int, tuple[float, ...]]) -> str:
    status, tick, xs = step
    lines = [status] if status else []
    return "\n".join([*lines, f"{tick}: {', '.join(f'{x:g}' for x in xs)}"])


def _mark(holds: bool) -> str:
    return "[green]ok[/green]" if holds else "[red]OFF[/red]"
